"""Gradients whose operands are not those of the kernel with g among them, by differentiation of the library's own kernel
(library_kernels.py)."""


class Pulled:
    """Of a library that has `pulled(function, operands, g)`, `full(shape, value, x)`, an array of the kind of x, and the kernels."""

    def sides(self, x, axis):
        """A weight of 1 and a bias of 0 along an axis."""
        return self.full((x.shape[axis],), 1, x), self.full((x.shape[axis],), 0, x)

    def rope_gradient(self, g, position, *, base=10000.0, factor=1.0, rotary=None, interleaved=False):
        settings = {"base": base, "factor": factor, "rotary": rotary, "interleaved": interleaved}
        return self.pulled(lambda one: self.rope(one, position, **settings), [g], g)

    def rms_gradient(self, x, g, place, axis, epsilon):
        """A bias is added behind the kernel, which has none."""
        beside = tuple(-1 if i == axis % x.ndim else 1 for i in range(x.ndim))
        return self.pulled(lambda weight, bias: self.rms_norm(x, weight, **{place: axis}, epsilon=epsilon) + bias.reshape(beside),
                           self.sides(x, axis), g)

    def convolution_gradient(self, x, weight, g, *, stride=1, padding=0, dilation=1, groups=1):
        settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return self.pulled(lambda *some: self.convolution(*some, **settings), [x, weight, self.full((weight.shape[0],), 0, x)], g)

    def average_pool_gradient(self, g, *, shape, window=2, stride=None, padding=0, count_include_pad=False, ceil_mode=False):
        settings = {"window": window, "stride": stride, "padding": padding, "count_include_pad": count_include_pad, "ceil_mode": ceil_mode}
        return self.pulled(lambda x: self.average_pool(x, **settings), [self.full(shape, 0, g)], g)

    def embedding_bag_gradient(self, index, g, weight=None, *, shape, mode="mean", weighted=False, padding_index=None):
        return self.pulled(lambda table: self.embedding_bag(table, index, weight, mode=mode, weighted=weighted, padding_index=padding_index),
                           [self.full(shape, 0, g)], g)

    def embedding_bag_offsets_gradient(self, index, offset, g, weight=None, *, shape, mode="mean", weighted=False, padding_index=None):
        return self.pulled(lambda table: self.embedding_bag_offsets(table, index, offset, weight, mode=mode, weighted=weighted,
                                                                    padding_index=padding_index), [self.full(shape, 0, g)], g)

    def embedding_bag_weight_gradient(self, table, index, g, *, padding_index=None):
        return self.pulled(lambda weight: self.embedding_bag(table, index, weight, mode="sum", weighted=True, padding_index=padding_index),
                           [self.full(index.shape, 1, table)], g)

    def embedding_bag_offsets_weight_gradient(self, table, index, offset, g, *, padding_index=None):
        return self.pulled(lambda weight: self.embedding_bag_offsets(table, index, offset, weight, mode="sum", weighted=True,
                                                                     padding_index=padding_index), [self.full(index.shape, 1, table)], g)
