package io.fdt.service.run;

import io.fdt.service.store.Stores;
import io.fdt.service.store.Vault;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.AuditStore;
import java.time.Clock;

/** The services that both routes and periodic jobs use. Any thread. */
public record Services(
    Stores stores,
    AccountStore accounts,
    AuditStore audit,
    Endpoints endpoints,
    Submission submission,
    Dispatcher dispatcher,
    Live live,
    Vault vault,
    Clock clock) {}
