/** JSON as maps and lists. */
package io.fdt.json;
