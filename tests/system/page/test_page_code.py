"""The code of the page, as a linter and a checker of types see it. The programs from npm are pinned by
tests/page/package-lock.json and are in the build folder."""

import re
import shutil

import pytest

from npm import install, run
from service import TOP

SOURCE = TOP / "tests/page"
OTHERS = {  # what is not ours: the names that are imported, of no type
    "leaflet/leaflet.esm.min.d.ts": "declare const value: any;\nexport { %s };\n",
    "vendor/dompurify/purify.es.d.mts": "declare const DOMPurify: any;\nexport default DOMPurify;\n",
    "vendor/diff/array.d.ts": "export declare const diffArrays: any;\n",
    "vendor/pbf/index.d.ts": "export declare const PbfReader: any;\n",
    "vendor/pmtiles/index.d.ts": "export declare const PMTiles: any;\nexport declare const TileType: any;\n",
    "vendor/vector-tile/index.d.ts": "export declare const VectorTile: any;\n",
}


@pytest.fixture(scope="module")
def npm():
    """The folder of the programs, with the code that they look at."""
    folder = install(SOURCE)
    shutil.rmtree(folder / "www", ignore_errors=True)
    shutil.copytree(TOP / "www/js", folder / "www/js")
    shutil.copy(TOP / "build-aux/base-map.mjs", folder)
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("www/js/*.js"))
    names = set(re.findall(r"\bL\.(\w+)", code)) | {"Browser", "DomUtil", "GridLayer", "Layer", "latLngBounds", "polyline"}
    for path, text in OTHERS.items():
        (folder / "www" / path).parent.mkdir(parents=True)
        (folder / "www" / path).write_text(
            text.replace("%s", ", ".join(f"value as {name}" for name in sorted(names))), encoding="utf-8"
        )
    return folder


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["eslint", "--max-warnings", "0", "www/js", "base-map.mjs"], id="eslint"),
        pytest.param(["tsc", "--project", "."], id="tsc"),
    ],
)
def test_it_finds_nothing(npm, command):
    result = run(npm, f"node_modules/.bin/{command[0]}", *command[1:])
    assert (result.returncode, result.stdout) == (0, ""), result.stdout + result.stderr
