package io.fdt.client;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.PathFigures;
import java.time.Duration;

/**
 * What a short test of the network has shown. Immutable.
 *
 * @param direction which way the bytes went
 * @param figures of the time after the start, in which streams become fast; nothing is wanted
 * @param roundTrip under load, mean of the streams; zero where the system does not say
 * @param elapsed from the beginning to the end of the whole test
 * @param limit what limited it
 * @param seen whether the sender's system said so; otherwise it follows from rate and settings
 */
public record PathTest(
    TransferRequest.Direction direction,
    PathFigures figures,
    Duration roundTrip,
    Duration elapsed,
    Bottleneck limit,
    boolean seen) {}
