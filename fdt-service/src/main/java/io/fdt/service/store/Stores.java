package io.fdt.service.store;

/** The tables of the database with the data of users and of this process. Any thread. */
public record Stores(
    BookmarkStore bookmarks,
    ClaimStore claims,
    EmailStore emails,
    EndpointStore endpoints,
    FigureStore figures,
    LinkStore links,
    Outbox outbox,
    SettingStore settings,
    TaskStore tasks,
    TimerStore timers,
    WebhookStore webhooks) {

  /** The tables of a database, for one process. */
  public static Stores of(Database database, ClaimStore.Member process) {
    return new Stores(
        new BookmarkStore(database),
        new ClaimStore(database, process),
        new EmailStore(database),
        new EndpointStore(database),
        new FigureStore(database, process.process()),
        new LinkStore(database),
        new Outbox(database),
        new SettingStore(database),
        new TaskStore(database),
        new TimerStore(database),
        new WebhookStore(database));
  }
}
