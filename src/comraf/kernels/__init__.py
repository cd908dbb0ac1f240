"""The hot loops: arrays in, arrays out.

`comraf.kernels.reference` is the truth in plain NumPy; `comraf.kernels.compiled`
holds its numba twins, and the tests hold the two equal. Nothing here imports another room.
"""
