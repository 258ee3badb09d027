package io.fdt.client;

import io.fdt.core.unit.ByteSize;
import java.time.Duration;

/**
 * A transfer from memory to memory.
 *
 * @param direction of the bytes
 * @param streams parallel TCP connections, 1 to 128
 * @param duration 1 second to 1 hour
 * @param blockSize bytes in one block, 4 KiB to 64 MiB
 * @param socketBuffer socket buffers; zero leaves them to the operating system
 */
public record NettestRequest(
    TransferRequest.Direction direction,
    int streams,
    Duration duration,
    ByteSize blockSize,
    ByteSize socketBuffer) {}
