package io.fdt.core.model;

/**
 * What an entry of a manifest is. Devices, sockets and FIFOs never become entries: they are
 * reported as skipped.
 */
public enum EntryKind {
  FILE,
  DIRECTORY,
  SYMLINK
}
