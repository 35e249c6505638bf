import{a,b,c}from"./chunk-K6ILOZ2L.js";import"./chunk-3N3OFHZU.js";import"./chunk-K5JORFNX.js";import"./chunk-HFDORBOT.js";import"./chunk-GOKVTJ5P.js";c();export{a as CalendarTabs,b as default};
