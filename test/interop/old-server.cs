// The services of the contract as they are written for ASP.NET and WCF.
//
// old-server.exe asmx ADDRESS   writes the WSDL of the location helper
// old-server.exe wcf ADDRESS    serves the AJAX endpoint with its metadata until its input ends
using System;
using System.Runtime.Serialization;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.ServiceModel.Description;
using System.Text;
using System.Web.Services;
using System.Web.Services.Description;
using System.Xml.Serialization;

public class Continent
{
    public int Continent_id;
    public string ContinentName;
    public string ContinentCode;
}

public class Country
{
    public int Country_id;
    public string CountryName;
    public string CountryCode;
    public string CountryAlias;
    [XmlElement(IsNullable = true)]
    public Continent Continent;
    public bool Active;
}

public class State
{
    public int State_id;
    public string StateName;
    public string StateAbbreviation;
    public Country Country;
    public bool Active;
}

public class LocationUIHelperResponse
{
    public string City;
    public State State;
}

[WebService(Namespace = "http://old.example.com/services/")]
public class LocationUIHelper : WebService
{
    [WebMethod]
    public LocationUIHelperResponse PostalCodeToCityState(string postalCode) { return null; }

    [WebMethod]
    public void GetCityStateForPostalCode(string postalCode) { }

    [WebMethod]
    public void GetStateListForCountryId(int countryId) { }
}

[DataContract(Namespace = "http://old.example.com/forms")]
public class PublicWebScriptAjaxReturnBase
{
    [DataMember]
    public long Contact_Id;
    [DataMember]
    public string ErrorMessage;
    [DataMember]
    public long Record_Id;
    [DataMember]
    public bool Success;
}

[ServiceContract(Namespace = "http://old.example.com/forms")]
public interface IWebFormsAjaxEndpoint
{
    [OperationContract]
    void LogPageRequestAsync(
        long form_id, long trans_id, string pageRequestUrl, int applicationInstance_id,
        bool isAuthenticated, long contact_id, int screenWidth, int screenHeight,
        long browserUserAgent_id, long crossAppSession_id, DateTime sessionDate,
        long conversionHit_id, int overrideRequestMethodId);

    [OperationContract]
    PublicWebScriptAjaxReturnBase TryAutoLogIn(long form_id, long applicationInstance_id);

    [OperationContract]
    PublicWebScriptAjaxReturnBase LogInUser(string userName, string passWord);
}

public class WebFormsAjaxEndpoint : IWebFormsAjaxEndpoint
{
    public void LogPageRequestAsync(
        long form_id, long trans_id, string pageRequestUrl, int applicationInstance_id,
        bool isAuthenticated, long contact_id, int screenWidth, int screenHeight,
        long browserUserAgent_id, long crossAppSession_id, DateTime sessionDate,
        long conversionHit_id, int overrideRequestMethodId) { }

    public PublicWebScriptAjaxReturnBase TryAutoLogIn(long form_id, long applicationInstance_id)
    {
        return null;
    }

    public PublicWebScriptAjaxReturnBase LogInUser(string userName, string passWord)
    {
        var isRight = userName == "Adä <&>" && passWord == " a quiet\r\n<heron> & ";
        return new PublicWebScriptAjaxReturnBase { Success = isRight, Record_Id = isRight ? 7 : 0 };
    }
}

class OldServer
{
    static void Main(string[] arguments)
    {
        if (arguments[0] == "asmx") WriteWsdl(arguments[1]);
        else Serve(new Uri(arguments[1]));
    }

    static void WriteWsdl(string address)
    {
        var reflector = new ServiceDescriptionReflector();
        reflector.Reflect(typeof(LocationUIHelper), address);
        reflector.ServiceDescriptions[0].Write(Console.Out);
    }

    static void Serve(Uri address)
    {
        var host = new ServiceHost(typeof(WebFormsAjaxEndpoint), address);
        var soap12 = new CustomBinding(
            new TextMessageEncodingBindingElement(MessageVersion.Soap12, Encoding.UTF8),
            new HttpTransportBindingElement());
        host.AddServiceEndpoint(typeof(IWebFormsAjaxEndpoint), new BasicHttpBinding(), "");
        host.AddServiceEndpoint(typeof(IWebFormsAjaxEndpoint), soap12, "soap12");
        host.Description.Behaviors.Add(new ServiceMetadataBehavior { HttpGetEnabled = true });
        host.Open();
        Console.WriteLine("open");
        Console.ReadLine();
        host.Close();
    }
}
