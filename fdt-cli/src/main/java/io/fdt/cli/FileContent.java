package io.fdt.cli;

import io.fdt.core.manifest.ByteText;
import java.io.IOException;

/** Reads whole files that a command line names; "-" is standard input. */
interface FileContent {
  /** All bytes of the file with this {@link ByteText} name. */
  byte[] read(String name) throws IOException;
}
