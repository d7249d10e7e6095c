"""Makes calls with clients of zeep, and shows what came of each; see soap-client.ts."""

import json
import sys

import requests
import zeep
from zeep.helpers import serialize_object
from zeep.wsdl.bindings import Soap11Binding, Soap12Binding

given = json.load(sys.stdin)
binding = Soap12Binding if given["binding"] == "SOAP 1.2" else Soap11Binding
session = requests.Session()
if given["authority"] is not None:
    session.verify = given["authority"]
responses = []
session.hooks["response"].append(lambda response, *_, **__: responses.append(response))


def show(value):
    if isinstance(value, dict):
        return {name: show(member) for name, member in value.items()}
    # A bool is an int too, but not of that type.
    return f"integer {value}" if type(value) is int else value


def open_service(wsdl):
    """The service over the port that has a binding for the wanted version of SOAP."""
    client = zeep.Client(wsdl, transport=zeep.Transport(session=session))
    (service,) = client.wsdl.services.values()
    (port,) = [name for name, port in service.ports.items() if type(port.binding) is binding]
    return client.bind(port_name=port)


def media_type():
    return responses[-1].headers.get("Content-Type", "").partition(";")[0] if responses else None


services = {}
cookie = None
outcomes = []
for call in given["calls"]:
    outcome = {"result": None, "fault": None, "error": None}
    try:
        name = call["wsdl"]
        if name not in services:
            services[name] = open_service(given["wsdls"][name])
        if call["sendsCookie"]:
            session.headers["Cookie"] = cookie
        result = services[name][call["operation"]](**call["parts"])
        outcome["result"] = show(serialize_object(result, dict))
    except zeep.exceptions.Fault as fault:
        outcome["fault"] = {"code": fault.code, "text": fault.message}
    except Exception as error:
        outcome["error"] = repr(error)
    if responses and "Set-Cookie" in responses[-1].headers:
        cookie = responses[-1].headers["Set-Cookie"].partition(";")[0]
    outcomes.append({"mediaType": media_type(), **outcome})
json.dump(outcomes, sys.stdout)
