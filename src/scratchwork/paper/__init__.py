"""The model of Ling et al. (2017) and its baselines.

In reading order: examples in `vocabulary`, `paths` and `corpus`; the network in `tensors`, `noise`,
`layers`, `recurrence`, `program_model`, `network`, `baselines` and `models`; latent programs in
`drawing`, `batching` and `backpropagation`; `config`, `distributed` and `training`; the stack
decoder in `grammar`, `value_tables`, `hypotheses`, `expansion`, `search_settings`, `programs`
and `stack_decoder`; and `forced` scoring.
"""
