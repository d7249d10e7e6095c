// The largest whole number that a number of JavaScript holds exactly.
var exactMax = 9007199254740991;

// Pages may give a number where the service wants a text; null and what is left out stay as they are.
function _text(value) {
  var kind = typeof value;
  var isExact = kind === "number" && Math.abs(value) <= exactMax;
  return isExact || kind === "bigint" || kind === "boolean" ? String(value) : value;
}

// JSON of one value. Throws where it would become another value on the way, rather than send that.
function write(name, value) {
  if (typeof value === "bigint") {
    return String(value);
  }
  if (typeof value === "number") {
    if (!isFinite(value)) {
      throw new TypeError(name + " is not a finite number.");
    }
    if (Math.abs(value) > exactMax) {
      throw new RangeError(name + " is too large for an exact number: give it as a string or a bigint.");
    }
  }
  if (Object.prototype.toString.call(value) === "[object Date]") {
    if (isNaN(value.getTime())) {
      throw new TypeError(name + " is not a valid date.");
    }
    return '"/Date(' + value.getTime() + ')/"';
  }
  var json = JSON.stringify(value);
  if (typeof json !== "string") {
    throw new TypeError(name + " cannot be sent.");
  }
  return json;
}

// JSON of the parameters; those that are left out are not sent.
function writeAll(params) {
  var members = [];
  for (var name in params) {
    if (Object.prototype.hasOwnProperty.call(params, name) && params[name] !== undefined) {
      members.push(JSON.stringify(name) + ":" + write(name, params[name]));
    }
  }
  return "{" + members.join(",") + "}";
}

// Reads JSON. A whole number that JavaScript would round becomes a string with all its digits.
function read(json) {
  var token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
  var exact = json.replace(token, function (found) {
    return /^-?\d{16,}$/.test(found) && Math.abs(found) > exactMax ? '"' + found + '"' : found;
  });
  return JSON.parse(exact);
}

// What a failedCallback is given.
function failure(facts) {
  return {
    get_timedOut: function () { return facts.timedOut === true; },
    get_statusCode: function () { return facts.status || -1; },
    get_message: function () { return facts.message; },
    get_stackTrace: function () { return facts.stackTrace; },
    get_exceptionType: function () { return facts.exceptionType; },
    get_errorObject: function () { return facts.errorObject; }
  };
}

// The failure of a response; the service sends its reason as JSON.
function refusal(status, response, methodName) {
  var reason = response !== null && typeof response === "object" ? response : {};
  return failure({
    status: status,
    message: reason.Message || "The server method '" + methodName + "' failed.",
    stackTrace: reason.StackTrace || null,
    exceptionType: reason.ExceptionType || null,
    errorObject: response
  });
}

// Paths where a call that acts on cookies got a response: then other calls send cookies too, so that the service knows
// the visitor. Before that, browsers would hide responses from pages that may only call without cookies.
var cookiePaths = {};

// Posts to one operation. Calls onSuccess(result) or onFailure(error) once.
function post(path, methodName, body, timeout, onSuccess, onFailure) {
  var xhr = new XMLHttpRequest();
  var isDone = false;
  var timer = null;
  function finish(call, value) {
    if (isDone) {
      return;
    }
    isDone = true;
    if (timer !== null) {
      clearTimeout(timer);
    }
    call(value);
  }
  function giveUp(timedOut) {
    var what = timedOut ? "timed out" : "failed";
    var message = "The server method '" + methodName + "' " + what + ".";
    finish(function (error) {
      xhr.abort();
      onFailure(error);
    }, failure({ timedOut: timedOut, message: message, stackTrace: "", exceptionType: "", errorObject: null }));
  }
  function settle() {
    var response = null;
    var isRead = true;
    try {
      response = read(xhr.responseText);
    } catch (_error) {
      isRead = false;
    }
    if (!isRead || xhr.status < 200 || xhr.status >= 300) {
      finish(onFailure, refusal(xhr.status, response, methodName));
      return;
    }
    finish(onSuccess, response !== null && response.d !== undefined ? response.d : response);
  }
  xhr.open("POST", path + "/" + encodeURIComponent(methodName), true);
  xhr.withCredentials = cookiePaths[path] === true || needsCredentials[methodName] === true;
  xhr.setRequestHeader("Content-Type", "application/json; charset=utf-8");
  xhr.onreadystatechange = function () {
    if (xhr.readyState !== 4 || isDone) {
      return;
    }
    if (xhr.status === 0) {
      giveUp(false);
      return;
    }
    if (xhr.withCredentials) {
      cookiePaths[path] = true;
    }
    settle();
  };
  if (timeout > 0) {
    timer = setTimeout(function () { giveUp(true); }, timeout);
  }
  xhr.send(body);
  var executor = { abort: function () { giveUp(false); } };
  return { get_executor: function () { return executor; } };
}

// What each operation calls, with useGet false: every call is a POST.
function invoke(path, methodName, useGet, params, succeededCallback, failedCallback, userContext) {
  var onSuccess = succeededCallback || this.get_defaultSucceededCallback();
  var onFailure = failedCallback || this.get_defaultFailedCallback();
  var isGiven = userContext !== undefined && userContext !== null;
  var context = isGiven ? userContext : this.get_defaultUserContext();
  function tell(callback) {
    return function (value) {
      if (callback) {
        callback(value, context, methodName);
      }
    };
  }
  return post(path, methodName, writeAll(params), this.get_timeout(), tell(onSuccess), tell(onFailure));
}

// A pair get_ and set_ on each instance, and a static one for the static instance.
function addSetting(type, name) {
  var field = "_" + name;
  type.prototype["get_" + name] = function () { return this[field]; };
  type.prototype["set_" + name] = function (value) { this[field] = value; };
  type["get_" + name] = function () { return type._staticInstance["get_" + name](); };
  type["set_" + name] = function (value) { type._staticInstance["set_" + name](value); };
}

// A static method that calls the static instance.
function addStatic(type, name) {
  type[name] = function () { return type._staticInstance[name].apply(type._staticInstance, arguments); };
}

// Gives a type all that proxies have, its static instance with a path, and its global name.
function publish(type, operations, path, globalName) {
  var settings = ["path", "timeout", "defaultUserContext", "defaultSucceededCallback", "defaultFailedCallback"];
  for (var i = 0; i < settings.length; i += 1) {
    addSetting(type, settings[i]);
  }
  type.prototype._invoke = invoke;
  type.prototype._get_path = function () { return this.get_path() || type.get_path(); };
  for (var name in operations) {
    if (Object.prototype.hasOwnProperty.call(operations, name)) {
      type.prototype[name] = operations[name];
      addStatic(type, name);
    }
  }
  type._staticInstance = new type();
  type.set_path(path);
  var parts = globalName.split(".");
  var last = parts.pop();
  var place = root;
  for (var j = 0; j < parts.length; j += 1) {
    if (!Object.prototype.hasOwnProperty.call(place, parts[j])) {
      place[parts[j]] = {};
    }
    place = place[parts[j]];
  }
  place[last] = type;
}
