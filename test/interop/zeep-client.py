"""Makes calls with one client of zeep, and shows what came of each; see soap-clients.ts."""

import json
import sys

import zeep
from zeep.helpers import serialize_object

given = json.load(sys.stdin)
port = "Soap12" if given["version"] == "1.2" else "Soap11"
client = zeep.Client(given["wsdl"], port_name=port)
session = client.transport.session
types = []
session.hooks["response"].append(
    lambda response, *_, **__: types.append(response.headers["Content-Type"].partition(";")[0])
)
results = []
for call in given["calls"]:
    if call["cookie"] is not None:
        session.headers["Cookie"] = call["cookie"]
    answer = serialize_object(client.service[call["operation"]](**call["parts"]), dict)
    # A bool is an int too, but not of that type.
    members = {
        name: f"integer {value}" if type(value) is int else value for name, value in answer.items()
    }
    cookies = session.cookies.get_dict()
    results.append({"contentType": types[-1], "members": members, "cookies": cookies})
json.dump(results, sys.stdout)
