"""Elementary word problems without options, composed over small worlds, with their plans."""
