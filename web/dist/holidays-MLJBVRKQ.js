import{a,b,c}from"./chunk-S34PSEYE.js";import"./chunk-HPQ2ZQAZ.js";import"./chunk-F4TR4MZ4.js";import"./chunk-NPHPGTMW.js";import"./chunk-WZQEC2GS.js";c();export{a as CalendarTabs,b as default};
