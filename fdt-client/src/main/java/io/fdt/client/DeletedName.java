package io.fdt.client;

import io.fdt.core.model.EntryKind;
import java.util.Optional;

/**
 * A name that was deleted at the destination because the source lacks it.
 *
 * @param path escaped, at the receiving end
 * @param kind empty for a device, socket or FIFO
 * @param pretended whether this is a dry run, which deletes nothing
 */
public record DeletedName(String path, Optional<EntryKind> kind, boolean pretended) {}
