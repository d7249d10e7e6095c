// What the services of the old server do. Its data are files in the folder of the site:
// states.json   states with their IDs
// places.tsv    postal code, city, and index of the state
// accounts.json accounts by user name
// pages.csv     the table of page requests, which grows
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Web;
using System.Web.Script.Serialization;
using System.Web.Security;

public class Account
{
    public string Password;
    public long Contact_Id;
    public long Record_Id;
}

public static class Behaviour
{
    static readonly string folder = HttpRuntime.AppDomainAppPath;
    static readonly State[] states = Read<State[]>("states.json");
    static readonly Dictionary<string, Account> accounts =
        Read<Dictionary<string, Account>>("accounts.json");
    static readonly Dictionary<string, string[]> places =
        File.ReadAllLines(Path.Combine(folder, "places.tsv"))
            .Select(line => line.Split('\t')).ToDictionary(row => row[0]);

    static T Read<T>(string name)
    {
        var text = File.ReadAllText(Path.Combine(folder, name));
        return new JavaScriptSerializer { MaxJsonLength = int.MaxValue }.Deserialize<T>(text);
    }

    public static LocationUIHelperResponse PostalCodeToCityState(string postalCode)
    {
        if (postalCode == "error") throw new InvalidOperationException("The table is not there.");
        string[] row;
        var code = (postalCode ?? "").Trim().Replace(" ", "").ToUpperInvariant();
        if (!places.TryGetValue(code, out row)) return null;
        var state = states[int.Parse(row[2])];
        // The old services left the continent out over SOAP, although they declare it.
        var isSoap = HttpContext.Current.Request.ContentType.Contains("xml");
        return new LocationUIHelperResponse
        {
            City = row[1],
            State = isSoap && state != null ? WithoutContinent(state) : state,
        };
    }

    static State WithoutContinent(State state)
    {
        var copy = new JavaScriptSerializer();
        var changed = copy.Deserialize<State>(copy.Serialize(state));
        if (changed.Country != null) changed.Country.Continent = null;
        return changed;
    }

    public static void GetCityStateForPostalCode(string postalCode) { }

    public static void GetStateListForCountryId(int countryId) { }

    public static void LogPageRequestAsync(params object[] parts)
    {
        var values = parts.Select(part =>
            part is DateTime ? ((DateTime)part).ToString("o") : Convert.ToString(part, CultureInfo.InvariantCulture));
        var line = string.Join(",", values.Concat(new[] { DateTime.UtcNow.ToString("o") })) + "\n";
        lock (places) File.AppendAllText(Path.Combine(folder, "pages.csv"), line);
    }

    public static PublicWebScriptAjaxReturnBase TryAutoLogIn(long form_id, long applicationInstance_id)
    {
        var name = Cookies.ReadName();
        return name == null ? Refuse("You are not logged in.") : Accept(accounts[name]);
    }

    public static PublicWebScriptAjaxReturnBase LogInUser(string userName, string passWord)
    {
        Account account;
        var isKnown = accounts.TryGetValue(userName ?? "", out account);
        if (!isKnown || account.Password != passWord) return Refuse("Wrong user name or password.");
        Cookies.Send(FormsAuthentication.GetAuthCookie(userName, true));
        return Accept(account);
    }

    static PublicWebScriptAjaxReturnBase Refuse(string message)
    {
        return new PublicWebScriptAjaxReturnBase { ErrorMessage = message };
    }

    static PublicWebScriptAjaxReturnBase Accept(Account account)
    {
        return new PublicWebScriptAjaxReturnBase
        {
            Contact_Id = account.Contact_Id,
            Record_Id = account.Record_Id,
            Success = true,
        };
    }
}

// Cookies of a call, which comes from WCF or, as JSON, from the listener.
static class Cookies
{
    [ThreadStatic]
    public static HttpListenerContext Listener;

    public static void Send(HttpCookie cookie)
    {
        var text = cookie.Name + "=" + cookie.Value + "; path=/; HttpOnly";
        if (Listener != null)
        {
            Listener.Response.AppendHeader("Set-Cookie", text);
            return;
        }
        var response = new HttpResponseMessageProperty { StatusDescription = "OK" };
        response.Headers["Set-Cookie"] = text;
        OperationContext.Current.OutgoingMessageProperties[HttpResponseMessageProperty.Name] = response;
    }

    public static string ReadName()
    {
        var header = Listener != null ? Listener.Request.Headers["Cookie"] : ReadHeader();
        var start = FormsAuthentication.FormsCookieName + "=";
        var pair = (header ?? "").Split(';').Select(one => one.Trim())
            .FirstOrDefault(one => one.StartsWith(start));
        if (pair == null) return null;
        var ticket = FormsAuthentication.Decrypt(pair.Substring(start.Length));
        return ticket == null || ticket.Expired ? null : ticket.Name;
    }

    static string ReadHeader()
    {
        var properties = OperationContext.Current.IncomingMessageProperties;
        return ((HttpRequestMessageProperty)properties[HttpRequestMessageProperty.Name]).Headers["Cookie"];
    }
}
