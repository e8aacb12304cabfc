"""One call of each kernel, of a size that is in use, with the parameters that it needs: for libraries that take their time for each
shape, and for the table of detcheck-library-kernels(7). Behind an operation may stand an option ("cross_entropy weighted")."""

BAGS = {"shape": "8x9x40x16"}
GROUPS = {"groups": 2, "shape": "2x4x75"}
OPERATIONS = [("rms_norm", {"affine": "weight", "shape": "4x300"}), ("layer_norm", {"affine": "bias", "shape": "4x300"}),
              ("group_norm", {"affine": "bias", **GROUPS}), ("batch_norm", {"affine": "bias", "shape": "3x4x75"}),
              ("l2_norm", {"shape": "4x300", "epsilon": "none"}), ("softmax", {"shape": "4x300", "axis": -1}), ("log_softmax", {"shape": "4x300"}),
              ("cross_entropy", {"shape": "32x40"}), ("cross_entropy weighted", {"shape": "32x40"}),
              ("silu_mul", {"shape": "1200"}), ("gelu_mul", {"shape": "1200"}),
              ("swiglu", {"shape": "4x300"}), ("geglu", {"shape": "4x300"}), ("rope", {"shape": "8x64"}),
              ("attention", {"shape": "1x2x9x70x32"}), ("convolution", {"shape": "1x8x12x12"}),
              ("average_pool", {"shape": "1x4x17x17", "window": 3}), ("embedding_bag", BAGS), ("embedding_bag_offsets", BAGS),
              ("sgd", {"shape": "1200"}),
              ("adam", {"shape": "1200"}), ("adamw", {"shape": "1200"}), ("cumsum", {"shape": "4x300", "axis": -1}),
              ("sort", {"shape": "4x300"}), ("top_k", {"shape": "4x300"}), ("argmax", {"shape": "4x300"}),
              ("rms_norm_gradient", {"affine": "weight", "shape": "4x300"}), ("layer_norm_gradient", {"affine": "weight", "shape": "4x300"}),
              ("group_norm_gradient", {"affine": "weight", **GROUPS}), ("batch_norm_gradient", {"affine": "weight", "shape": "3x4x75"}),
              ("l2_norm_gradient", {"shape": "4x300"}), ("rms_norm_weight_gradient", {"shape": "4x300"}),
              ("layer_norm_weight_gradient", {"shape": "4x300"}),
              ("group_norm_weight_gradient", GROUPS), ("batch_norm_weight_gradient", {"shape": "3x4x75"}),
              ("l2_norm_weight_gradient", {"shape": "4x300"}), ("softmax_gradient", {"shape": "4x300", "axis": -1}),
              ("log_softmax_gradient", {"shape": "4x300", "axis": -1}), ("cross_entropy_gradient", {"shape": "32x40"}),
              ("cross_entropy_gradient weighted", {"shape": "32x40"}),
              ("silu_mul_gradient", {"shape": "1200"}), ("gelu_mul_gradient", {"shape": "1200"}), ("swiglu_gradient", {"shape": "4x300"}),
              ("geglu_gradient", {"shape": "4x300"}), ("rope_gradient", {"shape": "8x64"}), ("attention_gradient", {"shape": "1x2x9x70x32"}),
              ("convolution_gradient", {"shape": "1x8x12x12"}), ("average_pool_gradient", {"shape": "1x4x17x17", "window": 3, "stride": 2}),
              ("embedding_bag_gradient", BAGS), ("embedding_bag_weight_gradient", BAGS), ("embedding_bag_offsets_gradient", BAGS),
              ("embedding_bag_offsets_weight_gradient", BAGS)]
