import{a,b,c}from"./chunk-UIFYGSOE.js";import"./chunk-MUEJZKCC.js";import"./chunk-3N3OFHZU.js";import"./chunk-HFDORBOT.js";import"./chunk-GOKVTJ5P.js";c();export{a as GuardianTabs,b as default};
