/** Sends a request, a POST of JSON where it has parts; resolves to the status of its response. */
export async function statusOf(url: string, parts?: object): Promise<number> {
  const body = JSON.stringify(parts);
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const response = await fetch(url, parts && post);
  await response.arrayBuffer();
  return response.status;
}
