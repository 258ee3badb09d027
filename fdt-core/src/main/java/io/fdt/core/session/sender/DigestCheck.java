package io.fdt.core.session.sender;

import io.fdt.core.error.FdtException;

/**
 * The check of a file's digest at the sender, once all of it is read. Any thread.
 *
 * @param <S> the opener of the file
 */
@FunctionalInterface
public interface DigestCheck<S> {
  /**
   * Checks the bytes read against the expected digest.
   *
   * @param size bytes
   * @param digest of the whole file, from chunks
   * @throws FdtException VERIFICATION: the file fails with this
   */
  void check(S file, long size, byte[] digest) throws FdtException;
}
