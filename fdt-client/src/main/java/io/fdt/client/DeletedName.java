package io.fdt.client;

import io.fdt.core.model.EntryKind;
import java.util.Optional;

/**
 * A name that the source lacks and that is gone at the destination.
 *
 * @param path for people, at the receiving end
 * @param kind what it was; empty for a device, socket or FIFO
 * @param pretended a dry run: it would go
 */
public record DeletedName(String path, Optional<EntryKind> kind, boolean pretended) {}
