"""Load the test support for every test in the workspace."""

pytest_plugins = (
    "tests.support.servers",
    "tests.support.databases",
    "tests.support.drawing",
    "tests.support.fake_installation",
    "tests.support.fault_table",
    "tests.support.otlp",
    "tests.support.system",
)
