/** The transfer service under load: many tasks, many users, many small files. */
package io.fdt.service.load;
