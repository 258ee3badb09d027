package io.fdt.core.receive;

import io.fdt.core.session.receiver.ReceiverEvent;

/**
 * Receives the events of a receiver: {@link #post} from any thread, {@link #handle} on the loop of
 * the session.
 */
interface ReceiverEvents {
  void handle(ReceiverEvent<ReceivedFileWriter> event);

  void post(ReceiverEvent<ReceivedFileWriter> event);
}
