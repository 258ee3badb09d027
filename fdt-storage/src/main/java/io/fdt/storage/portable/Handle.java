package io.fdt.storage.portable;

import java.io.Closeable;

/** What a descriptor stands for. */
interface Handle extends Closeable {}
