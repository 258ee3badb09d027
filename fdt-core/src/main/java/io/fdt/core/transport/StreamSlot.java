package io.fdt.core.transport;

import java.util.function.Function;

/**
 * A place in a session for one data stream.
 *
 * @param handlers makes the handler of the stream, on its event loop; called at most once. The peer
 *     has no answer yet: this sends nothing by itself, but may have another thread send
 * @param giveBack to be called instead when there will be no stream
 */
public record StreamSlot(
    StreamSettings settings,
    Function<DataStream, DataStream.Handler> handlers,
    Runnable giveBack) {}
