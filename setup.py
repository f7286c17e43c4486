"""
Puts the compiled recurrence into the wheel, if there is a compiler. The wheel is then for one platform,
though for every Python. An editable install compiles on first use. Puts the .pth file there too, by which
`import allennlp` imports this package first. All else is in setup.cfg.
"""

import importlib.util
import logging
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

FOLDER = Path("allennlp_coref_rc", "modules", "recurrence")


class Build(build_py):
    def run(self):
        super().run()
        if not self.editable_mode:
            shutil.copy(
                Path("allennlp_coref_rc", "allennlp_runtime", "allennlp_coref_rc.pth"), self.build_lib
            )


class Wheel(bdist_wheel):
    def run(self):
        # Only this module: the package needs PyTorch, which is not there when a wheel is built.
        spec = importlib.util.spec_from_file_location(
            "library", Path(__file__).parent / FOLDER / "_library.py"
        )
        library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(library)
        target = Path(self.get_finalized_command("build_py").build_lib) / FOLDER / library.prebuilt().name
        for earlier in target.parent.glob("*.compiled"):
            earlier.unlink()
        try:
            library.compile_into(target)
            # The library is for one platform, so the files go where platforms may differ.
            self.root_is_pure = False
            self.distribution.has_ext_modules = lambda: True
        except (OSError, subprocess.SubprocessError) as error:
            logging.warning(
                "The wheel is without the compiled recurrence, which is compiled on first use: %s", error
            )
        super().run()

    def get_tag(self):
        tag = super().get_tag()
        return tag if self.root_is_pure else ("py3", "none", tag[2])


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})
