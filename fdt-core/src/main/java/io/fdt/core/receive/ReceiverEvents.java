package io.fdt.core.receive;

import io.fdt.core.session.receiver.ReceiverEvent;

/**
 * Takes what has happened to a receiver: {@link #post} from any thread, {@link #handle} on the loop
 * of the session.
 */
interface ReceiverEvents {
  void handle(ReceiverEvent<ReceivedFileWriter> event);

  void post(ReceiverEvent<ReceivedFileWriter> event);
}
