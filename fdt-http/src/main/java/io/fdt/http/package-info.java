/** Files of web servers as sources of copies: {@code https://host/path}. */
package io.fdt.http;
