package main

// enoughDescriptors has nothing to say: the number of handles is bounded by memory only.
func enoughDescriptors(conns int) error { return nil }
