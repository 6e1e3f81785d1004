package h1client

const MaxUnwatch = maxUnwatch
