"""What a user does, one file a workflow; the same from Python, the terminal and the page.

Each has a dataclass of options, tells its progress to a listener, and gives a result object:
``from comraf.workflows.outliers import outliers``. Nothing heavy is imported until one is called.
"""
