/**
 * Collects what is to be sent: everything of one turn of the event loop goes as one message, because a message costs as much as
 * many items in it.
 *
 * @param send called with at least one item.
 */
export function createSendBuffer<Item>(
  send: (items: readonly Item[]) => void,
): (item: Item) => void {
  let items: Item[] = [];
  return (item) => {
    if (items.length === 0) {
      setImmediate(() => {
        const sent = items;
        items = [];
        send(sent);
      });
    }
    items.push(item);
  };
}
