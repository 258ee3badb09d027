package io.fdt.core.session.sender;

import io.fdt.core.error.FdtException;

/**
 * The check of a file's digest at the sender, once all of it is read. Any thread.
 *
 * @param <S> what opens the file
 */
@FunctionalInterface
public interface DigestCheck<S> {
  /**
   * Makes sure that the bytes that were read are those that the file should have.
   *
   * @param size bytes
   * @param digest of the whole file, made of chunks
   * @throws FdtException VERIFICATION: the file fails with it
   */
  void check(S file, long size, byte[] digest) throws FdtException;
}
