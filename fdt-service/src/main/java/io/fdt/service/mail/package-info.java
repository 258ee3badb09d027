/** E-mail to users: the server that takes it, and the conversation with it. */
package io.fdt.service.mail;
