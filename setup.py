"""`pip install .`: the extension is built by CMake, as the program is; what it needs are the packages of scripts/setup."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class BuildByCMake(build_ext):
    def build_extension(self, extension):
        build = pathlib.Path(self.build_temp).resolve()
        output = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cmake", "--preset", "release", "-S", ROOT, "-B", build, "-DBUILD_TESTING=OFF",
                        f"-DPython_EXECUTABLE={sys.executable}", "-DHONE_NEEDS_PYTHON=ON"], cwd=ROOT, check=True)
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", build, "--target", "_hone", "--parallel", jobs], check=True)
        made = next((build / "python" / "hone").glob("_hone*.so"))
        self.copy_file(str(made), str(output))


version = re.search(r"project\(hone VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("hone._hone", [])], cmdclass={"build_ext": BuildByCMake})
