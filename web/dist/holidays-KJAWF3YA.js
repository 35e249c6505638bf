import{a,b,c}from"./chunk-34LBAZMC.js";import"./chunk-IN5JTQXI.js";import"./chunk-PIKQOPDU.js";import"./chunk-RRBXWQHQ.js";import"./chunk-U3GKYPL2.js";c();export{a as CalendarTabs,b as default};
