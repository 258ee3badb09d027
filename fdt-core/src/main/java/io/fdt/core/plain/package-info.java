/**
 * Trees that compute the plain digest of each file while it is copied, before it counts as good.
 */
package io.fdt.core.plain;
