// Hosts the services at one address, as IIS does: ASP.NET of Mono behind an HttpListener, and WCF with its own.
//
// host.exe FOLDER PORT  serves a site until its input ends
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.Serialization.Json;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.ServiceModel.Description;
using System.Text;
using System.Threading;
using System.Web;
using System.Web.Hosting;
using System.Web.Script.Serialization;

public class Site : MarshalByRefObject
{
    const string endpoint = "Services/WebFormsAjaxEndpoint.svc";

    public static void Run(string folder, string port)
    {
        // In the domain of the application, with its web.config.
        var site = (Site)ApplicationHost.CreateApplicationHost(typeof(Site), "/", folder);
        site.Start(port);
        Console.WriteLine("open");
        Console.In.ReadToEnd();
        Environment.Exit(0);
    }

    public override object InitializeLifetimeService() { return null; }

    public void Start(string port)
    {
        var listener = new HttpListener();
        // WCF listens at all addresses, too, since both share the port only at the same ones. Prefixes with * come
        // before its own.
        listener.Prefixes.Add("http://+:" + port + "/");
        foreach (var method in typeof(WebFormsAjaxEndpoint).GetMethods())
            if (method.DeclaringType == typeof(WebFormsAjaxEndpoint))
                listener.Prefixes.Add("http://*:" + port + "/" + endpoint + "/" + method.Name + "/");
        listener.Start();
        new Thread(() => Listen(listener)) { IsBackground = true }.Start();
        OpenWcf("http://127.0.0.1:" + port + "/");
    }

    static void Listen(HttpListener listener)
    {
        while (true)
        {
            var context = listener.GetContext();
            ThreadPool.QueueUserWorkItem(_ => Handle(context));
        }
    }

    static void Handle(HttpListenerContext context)
    {
        try
        {
            if (context.Request.Url.AbsolutePath.StartsWith("/" + endpoint)) ScriptCall.Handle(context);
            else HttpRuntime.ProcessRequest(new ListenerRequest(context));
        }
        catch (Exception reason)
        {
            Console.Error.WriteLine(reason);
            context.Response.Abort();
        }
    }

    static void OpenWcf(string root)
    {
        var host = new ServiceHost(typeof(WebFormsAjaxEndpoint), new Uri(root + endpoint));
        var soap12 = new CustomBinding(
            new TextMessageEncodingBindingElement(MessageVersion.Soap12, Encoding.UTF8),
            new HttpTransportBindingElement());
        host.AddServiceEndpoint(typeof(IWebFormsAjaxEndpoint), new BasicHttpBinding(), "");
        // Mono cannot tell two bindings below one path apart.
        var other = new Uri(root + "Services/WebFormsAjaxEndpoint12.svc");
        host.AddServiceEndpoint(typeof(IWebFormsAjaxEndpoint), soap12, other);
        host.Description.Behaviors.Add(new ServiceMetadataBehavior { HttpGetEnabled = true });
        host.Open();
    }
}

// What enableWebScript does: Mono's WebScriptEnablingBehavior cannot read a request, and its fault ends the process.
// Results are written by the serializer that WCF uses.
static class ScriptCall
{
    public static void Handle(HttpListenerContext context)
    {
        Cookies.Listener = context;
        var method = typeof(WebFormsAjaxEndpoint).GetMethod(Path.GetFileName(context.Request.Url.AbsolutePath));
        var text = new StreamReader(context.Request.InputStream, Encoding.UTF8).ReadToEnd();
        var serializer = new JavaScriptSerializer();
        var given = serializer.Deserialize<Dictionary<string, object>>(text);
        var values = method.GetParameters().Select(parameter =>
        {
            object value;
            var type = parameter.ParameterType;
            if (given.TryGetValue(parameter.Name, out value)) return serializer.ConvertToType(value, type);
            return type.IsValueType ? Activator.CreateInstance(type) : null;
        });
        var result = method.Invoke(new WebFormsAjaxEndpoint(), values.ToArray());
        var output = new MemoryStream();
        Write(output, "{\"d\":");
        if (result == null) Write(output, "null");
        else new DataContractJsonSerializer(typeof(object), new[] { method.ReturnType }).WriteObject(output, result);
        Write(output, "}");
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.ContentLength64 = output.Length;
        output.WriteTo(context.Response.OutputStream);
        context.Response.Close();
        Cookies.Listener = null;
    }

    static void Write(Stream output, string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        output.Write(bytes, 0, bytes.Length);
    }
}

// A request of the listener as ASP.NET takes it from its host.
class ListenerRequest : HttpWorkerRequest
{
    readonly HttpListenerContext context;
    readonly string rawUrl;
    readonly string path;
    readonly string query;
    readonly int fileEnd;
    readonly byte[] body;
    readonly MemoryStream output = new MemoryStream();

    public ListenerRequest(HttpListenerContext context)
    {
        this.context = context;
        rawUrl = context.Request.RawUrl;
        var mark = rawUrl.IndexOf('?');
        query = mark < 0 ? "" : rawUrl.Substring(mark + 1);
        path = Uri.UnescapeDataString(mark < 0 ? rawUrl : rawUrl.Substring(0, mark));
        var file = path.IndexOf(".asmx/", StringComparison.OrdinalIgnoreCase);
        fileEnd = file < 0 ? path.Length : file + ".asmx".Length;
        var input = new MemoryStream();
        context.Request.InputStream.CopyTo(input);
        body = input.ToArray();
    }

    public override string GetUriPath() { return path; }
    public override string GetFilePath() { return path.Substring(0, fileEnd); }
    public override string GetPathInfo() { return path.Substring(fileEnd); }
    public override string GetQueryString() { return query; }
    public override string GetRawUrl() { return rawUrl; }
    public override string GetHttpVerbName() { return context.Request.HttpMethod; }
    public override string GetHttpVersion() { return "HTTP/1.1"; }
    public override string GetRemoteAddress() { return context.Request.RemoteEndPoint.Address.ToString(); }
    public override int GetRemotePort() { return context.Request.RemoteEndPoint.Port; }
    public override string GetLocalAddress() { return context.Request.LocalEndPoint.Address.ToString(); }
    public override int GetLocalPort() { return context.Request.LocalEndPoint.Port; }
    public override string GetAppPath() { return "/"; }
    public override string GetAppPathTranslated() { return HttpRuntime.AppDomainAppPath; }
    public override string GetFilePathTranslated() { return MapPath(GetFilePath()); }
    public override string GetServerVariable(string name) { return name == "HTTPS" ? "off" : null; }
    public override byte[] GetPreloadedEntityBody() { return body; }
    public override bool IsEntireEntityBodyIsPreloaded() { return true; }

    public override string MapPath(string path)
    {
        return Path.Combine(HttpRuntime.AppDomainAppPath, path.TrimStart('/'));
    }

    public override string GetKnownRequestHeader(int index)
    {
        return context.Request.Headers[GetKnownRequestHeaderName(index)];
    }

    public override string GetUnknownRequestHeader(string name) { return context.Request.Headers[name]; }

    public override string[][] GetUnknownRequestHeaders()
    {
        var headers = context.Request.Headers;
        return headers.AllKeys.Where(name => GetKnownRequestHeaderIndex(name) < 0)
            .Select(name => new[] { name, headers[name] }).ToArray();
    }

    public override void SendStatus(int code, string text)
    {
        context.Response.StatusCode = code;
        context.Response.StatusDescription = text;
    }

    public override void SendKnownResponseHeader(int index, string value)
    {
        SendUnknownResponseHeader(GetKnownResponseHeaderName(index), value);
    }

    public override void SendUnknownResponseHeader(string name, string value)
    {
        // The listener has its own.
        var own = new[] { "Content-Length", "Connection", "Server", "Transfer-Encoding" };
        if (!own.Contains(name)) context.Response.AppendHeader(name, value);
    }

    public override void SendResponseFromMemory(byte[] data, int length) { output.Write(data, 0, length); }
    public override void SendResponseFromFile(string name, long offset, long length) { throw new NotSupportedException(); }
    public override void SendResponseFromFile(IntPtr handle, long offset, long length) { throw new NotSupportedException(); }
    public override void FlushResponse(bool isFinal) { }

    public override void EndOfRequest()
    {
        context.Response.ContentLength64 = output.Length;
        output.WriteTo(context.Response.OutputStream);
        context.Response.Close();
    }
}
