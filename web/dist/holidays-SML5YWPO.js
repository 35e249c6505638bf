import{a,b,c}from"./chunk-MEIJCEKH.js";import"./chunk-EY42BZZZ.js";import"./chunk-XOAKMWO4.js";import"./chunk-RDVFBOJP.js";import"./chunk-BKMNMJ4E.js";c();export{a as CalendarTabs,b as default};
