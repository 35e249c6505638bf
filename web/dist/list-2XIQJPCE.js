import{a,b,c}from"./chunk-LQ33L5WP.js";import"./chunk-4ELDE663.js";import"./chunk-HPQ2ZQAZ.js";import"./chunk-NPHPGTMW.js";import"./chunk-WZQEC2GS.js";c();export{a as GuardianTabs,b as default};
