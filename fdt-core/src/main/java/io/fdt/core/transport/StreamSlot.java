package io.fdt.core.transport;

import java.util.function.Function;

/**
 * The assignment of one data stream to a session.
 *
 * @param handlers makes the handler of the stream, on its event loop; called at most once. The peer
 *     has no answer yet: this sends nothing itself, but may have another thread send
 * @param giveBack called instead when the stream does not come about
 */
public record StreamSlot(
    StreamSettings settings,
    Function<DataStream, DataStream.Handler> handlers,
    Runnable giveBack) {}
