package io.fdt.client;

import io.fdt.core.model.EntryKind;
import java.util.Optional;

/**
 * A name that was deleted at the destination because the source does not have it.
 *
 * @param path for people, at the receiving end
 * @param kind what it was; empty for a device, socket or FIFO
 * @param pretended whether this is a dry run, in which it would be deleted
 */
public record DeletedName(String path, Optional<EntryKind> kind, boolean pretended) {}
