import{a,b,c}from"./chunk-I74RYFUB.js";import"./chunk-KLW7GCSI.js";import"./chunk-MB6TZUVU.js";import"./chunk-2PX7ZAGL.js";import"./chunk-5H5K2FAG.js";c();export{a as CalendarTabs,b as default};
