"""
What holds archives of strangers: nothing is unpacked outside of a folder, and from a config nothing is built that could
run a program, load code, write files or ask the network. docs/security.md says what is trusted and what is not.
"""
