import{a,b,c}from"./chunk-IKLDEABW.js";import"./chunk-H4VVWEOZ.js";import"./chunk-35OI3RJD.js";import"./chunk-KWOO4V6I.js";import"./chunk-IIKMONSJ.js";c();export{a as CalendarTabs,b as default};
