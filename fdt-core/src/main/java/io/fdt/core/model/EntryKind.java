package io.fdt.core.model;

/**
 * The kind of an entry of a manifest. Devices, sockets and FIFOs never become entries: they are
 * reported as skipped.
 */
public enum EntryKind {
  FILE,
  DIRECTORY,
  SYMLINK
}
