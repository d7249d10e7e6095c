"""Makes calls with one client of zeep, and shows what came of each; see soap-clients.ts."""

import json
import sys

import zeep
from zeep.helpers import serialize_object
from zeep.wsdl.bindings import Soap11Binding, Soap12Binding

given = json.load(sys.stdin)


def show(value):
    if isinstance(value, dict):
        return {name: show(member) for name, member in value.items()}
    # A bool is an int too, but not of that type.
    return f"integer {value}" if type(value) is int else value


def port_for(wsdl, binding):
    """The port that has a binding for the wanted version of SOAP."""
    (service,) = wsdl.services.values()
    (port,) = [name for name, port in service.ports.items() if type(port.binding) is binding]
    return port


client = zeep.Client(given["wsdl"])
binding = Soap12Binding if given["version"] == "1.2" else Soap11Binding
service = client.bind(port_name=port_for(client.wsdl, binding))
session = client.transport.session
types = []
session.hooks["response"].append(
    lambda response, *_, **__: types.append(response.headers["Content-Type"].partition(";")[0])
)
results = []
for call in given["calls"]:
    if call["cookie"] is not None:
        session.headers["Cookie"] = call["cookie"]
    answer = serialize_object(service[call["operation"]](**call["parts"]), dict)
    members = {} if answer is None else show(answer)
    cookies = session.cookies.get_dict()
    results.append({"contentType": types[-1], "members": members, "cookies": cookies})
json.dump(results, sys.stdout)
