// Makes calls with the proxies that Mono's wsdl tool generated, and shows what came of each; see soap-client.ts.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Security.Cryptography.X509Certificates;
using System.Web.Script.Serialization;
using System.Web.Services.Description;
using System.Web.Services.Protocols;

/// <summary>A proxy that keeps its last response; mono-proxies.ts adds this to each.</summary>
public interface IKeepsResponse
{
    WebResponse Response { get; }
}

public static class MonoClient
{
    static readonly JavaScriptSerializer Json = new JavaScriptSerializer();

    public static void Main(string[] args)
    {
        if (args.Length == 2 && args[0] == "schemas") WriteSchemas(args[1]);
        else Console.Out.Write(Json.Serialize(Run((Dictionary<string, object>)Json.DeserializeObject(Console.In.ReadToEnd()))));
    }

    // The schemas of WSDL that Mono brings with it.
    static void WriteSchemas(string folder)
    {
        var assembly = typeof(ServiceDescription).Assembly;
        foreach (var name in assembly.GetManifestResourceNames())
            using (var source = assembly.GetManifestResourceStream(name))
            using (var file = File.Create(Path.Combine(folder, name)))
                source.CopyTo(file);
    }

    static List<object> Run(Dictionary<string, object> task)
    {
        // Mono does not give the connection of a response without a body back, and has two for each host.
        ServicePointManager.DefaultConnectionLimit = 50;
        if (task["authority"] != null) Trust((string)task["authority"]);
        var wsdls = (Dictionary<string, object>)task["wsdls"];
        var binding = (string)task["binding"];
        var proxies = new Dictionary<string, HttpWebClientProtocol>();
        string cookie = null;
        var outcomes = new List<object>();
        foreach (Dictionary<string, object> call in (object[])task["calls"])
        {
            var wsdl = (string)call["wsdl"];
            var outcome = new Outcome();
            try
            {
                if (!proxies.ContainsKey(wsdl)) proxies[wsdl] = Open(wsdl, binding, (string)wsdls[wsdl]);
                if ((bool)call["sendsCookie"]) SendCookie(proxies[wsdl], cookie);
                outcome.Watch(() => Call(proxies[wsdl], (string)call["operation"], (Dictionary<string, object>)call["parts"]));
                var response = ((IKeepsResponse)proxies[wsdl]).Response;
                outcome.mediaType = (response.ContentType ?? "").Split(';')[0];
                cookie = response.Headers["Set-Cookie"] ?? cookie;
            }
            catch (Exception error)
            {
                outcome.error = error.ToString();
            }
            outcomes.Add(outcome);
        }
        return outcomes;
    }

    // The servers have the one certificate that is given, self-signed.
    static void Trust(string file)
    {
        var expected = new X509Certificate2(file).GetCertHashString();
        ServicePointManager.ServerCertificateValidationCallback =
            (sender, certificate, chain, errors) => certificate.GetCertHashString() == expected;
    }

    static HttpWebClientProtocol Open(string wsdl, string binding, string place)
    {
        var space = wsdl + "." + binding.Replace(" ", "").Replace(".", "") + ".";
        var type = Assembly.GetExecutingAssembly().GetTypes()
            .Single(one => one.FullName.StartsWith(space) && typeof(HttpWebClientProtocol).IsAssignableFrom(one));
        var proxy = (HttpWebClientProtocol)Activator.CreateInstance(type);
        proxy.Url = AddressIn(place, binding);
        return proxy;
    }

    static string AddressIn(string place, string binding)
    {
        using (var stream = new WebClient().OpenRead(place))
            return ServiceDescription.Read(stream).Services[0].Ports.Cast<Port>()
                .SelectMany(port => port.Extensions.Cast<object>())
                .Select(extension => Location(extension, binding))
                .First(address => address != null);
    }

    static string Location(object extension, string binding)
    {
        var http = extension as HttpAddressBinding;
        if (http != null) return binding.StartsWith("HTTP") ? http.Location : null;
        var isWanted = binding == (extension is Soap12AddressBinding ? "SOAP 1.2" : "SOAP 1.1");
        return isWanted ? ((SoapAddressBinding)extension).Location : null;
    }

    static void SendCookie(HttpWebClientProtocol proxy, string cookie)
    {
        var pair = cookie.Split(';')[0].Split(new[] { '=' }, 2);
        proxy.CookieContainer = new CookieContainer();
        proxy.CookieContainer.Add(new Uri(proxy.Url), new Cookie(pair[0], pair[1], "/"));
    }

    static object Call(HttpWebClientProtocol proxy, string operation, Dictionary<string, object> parts)
    {
        var method = proxy.GetType().GetMethods().Single(one => one.Name == operation);
        try
        {
            return Show(method.Invoke(proxy, method.GetParameters().Select(one => Argument(one, parts)).ToArray()));
        }
        catch (TargetInvocationException error)
        {
            throw error.InnerException;
        }
    }

    static object Argument(ParameterInfo parameter, Dictionary<string, object> parts)
    {
        const string specified = "Specified";
        object value;
        if (parameter.Name.EndsWith(specified)) return parts.ContainsKey(parameter.Name.Replace(specified, ""));
        if (!parts.TryGetValue(parameter.Name, out value))
            return parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null;
        if (parameter.ParameterType == typeof(DateTime))
            return DateTime.Parse((string)value, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind);
        return Convert.ChangeType(value, parameter.ParameterType, CultureInfo.InvariantCulture);
    }

    static object Show(object value)
    {
        if (value is int || value is long) return "integer " + value;
        if (value == null || value is string || value is bool) return value;
        return value.GetType().GetProperties()
            .Where(one => !one.Name.EndsWith("Specified"))
            .ToDictionary(one => one.Name, one => Show(one.GetValue(value)));
    }
}

public class Outcome
{
    public string mediaType;
    public object result;
    public object fault;
    public string error;

    /// <summary>Makes a call, and keeps its result or the fault of the kind that its binding has.</summary>
    public void Watch(Func<object> call)
    {
        try
        {
            result = call();
        }
        catch (SoapException raised)
        {
            fault = new { code = raised.Code.Name, text = raised.Message };
        }
        catch (WebException raised)
        {
            var response = raised.Response as HttpWebResponse;
            if (response == null) throw;
            var text = new StreamReader(response.GetResponseStream()).ReadToEnd();
            fault = new { code = ((int)response.StatusCode).ToString(), text };
        }
    }
}
