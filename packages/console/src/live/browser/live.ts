// The script of the live view: adds rows that the server renders to the table of the page.

/** Wait before the next try where the server refused, in milliseconds; browsers do the others. */
const retryMs = 5_000;

const table = document.getElementById("live");
const status = document.getElementById("live-status");
const button = document.getElementById("live-pause");
if (table instanceof HTMLTableElement && status && button) startLiveView(table, status, button);

function startLiveView(table: HTMLTableElement, status: HTMLElement, button: HTMLElement): void {
  const [rows] = table.tBodies;
  const max = Number(table.dataset["max"]);
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv", {
    timeZone: table.dataset["zone"],
    dateStyle: "short",
    timeStyle: "medium",
  });
  const address = new URL(`live/events${location.search}`, location.href);
  let source: EventSource | undefined;
  const show = ({ data, lastEventId }: MessageEvent<string>) => {
    address.searchParams.set("after", lastEventId);
    rows?.insertAdjacentHTML("afterbegin", data);
    while (rows && rows.rows.length > max) rows.deleteRow(-1);
    for (const time of table.querySelectorAll<HTMLTimeElement>("time:empty")) {
      time.textContent = format.format(new Date(time.dateTime));
    }
  };
  const open = () => {
    button.textContent = "Pause";
    status.textContent = "Connecting…";
    const opened = new EventSource(address);
    source = opened;
    opened.onopen = () => {
      status.textContent = "Page requests appear here as they arrive.";
    };
    opened.addEventListener("page-requests", show);
    // What the operator may see has changed: the page, too, is another or leads to the log-in.
    opened.addEventListener("ended", () => location.reload());
    opened.onerror = () => {
      status.textContent = "No connection to the server. Trying again…";
      if (opened.readyState !== EventSource.CLOSED) return;
      setTimeout(() => source === opened && open(), retryMs);
    };
  };
  button.addEventListener("click", () => {
    if (source === undefined) return open();
    source.close();
    source = undefined;
    button.textContent = "Continue";
    status.textContent = "Paused.";
  });
  button.hidden = false;
  open();
}
