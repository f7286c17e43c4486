"""
Loads archives that strangers may have made. Nothing is unpacked outside of a folder. From an archive's
config, nothing is built that could run a program, load code, write files or use the network. docs/security.md
says what is trusted and what is not.
"""
