package io.fdt.storage.portable;

import java.io.Closeable;

/** The open file or directory of a descriptor. */
interface Handle extends Closeable {}
