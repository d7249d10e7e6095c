using System;

class Program
{
    static void Main()
    {
        var place = new LocationUIHelper().PostalCodeToCityState("10001");
        Console.WriteLine("{0}, {1}", place.City, place.State.StateAbbreviation);

        var result = new WebFormsAjaxEndpoint().LogInUser("guest", "a guess");
        Console.WriteLine("{0} {1}", result.Success, result.ErrorMessage);
    }
}
